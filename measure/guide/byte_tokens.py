"""Tokenizers for the course's language model, in which each byte is a token with its own number."""

from __future__ import annotations

from pathlib import Path

from qlearn.course.language.net import BYTES, CONTEXT


def for_llama_cpp(folder: Path) -> None:
    """Write tokenizer.model, in the format of SentencePiece.

    The format wants a token for what is unknown. It comes last, where the model has no number for
    it, so llama.cpp's converter leaves it out.
    """
    from sentencepiece.sentencepiece_model_pb2 import ModelProto, TrainerSpec

    kinds = ModelProto.SentencePiece
    spec = TrainerSpec(
        model_type=TrainerSpec.BPE, byte_fallback=True, vocab_size=BYTES + 1, unk_id=BYTES,
        bos_id=-1, eos_id=-1, pad_id=-1,
    )  # fmt: skip
    proto = ModelProto(trainer_spec=spec)
    for byte in range(BYTES):
        proto.pieces.append(kinds(piece=f"<0x{byte:02X}>", score=0.0, type=kinds.BYTE))
    proto.pieces.append(kinds(piece="<unk>", score=0.0, type=kinds.UNKNOWN))
    (folder / "tokenizer.model").write_bytes(proto.SerializeToString())


def for_transformers(folder: Path) -> None:
    """Write tokenizer.json: a letter for each byte, as GPT-2 has them, and no merges."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    vocabulary = {letter: byte for byte, letter in bytes_to_unicode().items()}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    for_model = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=CONTEXT)
    for_model.save_pretrained(folder)
