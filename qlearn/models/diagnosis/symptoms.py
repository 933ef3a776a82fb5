"""The titles of the entries on the page of symptoms that findings name."""

WORSE = "Fewer right answers than in float"
EQUAL = "All outputs are equal, or one class always wins"
NAN = "NaN comes out"
BATCH = "The same input gets other answers in another batch"
EACH_TIME = "The same input gets another answer each time"
BRANCH = "One branch of a cat loses nearly everything"
SMALL = "A small input is lost beside a large one, or a mask makes all scores equal"
BEFORE = "A graph of PT2E is wrong before it is calibrated"
LENGTH = "It gets worse, the longer the text or the series"
MACHINE = "Other results on another machine"
LANGUAGE = "A language model writes nonsense"
KERNEL = "One layer of the old API puts out something else"
TRAINING = "Good in training, bad after converting"
NO_DATA = "must run observer before calling calculate_qparams. Returning default values."
SLOWER = "The quantized model is slower than float"
SIZE = "The file is not smaller"
NOTHING = "quantize_ or PT2E changed nothing"

# What these say of the stored bytes is no reason for wrong numbers
STORED = SIZE, NOTHING
