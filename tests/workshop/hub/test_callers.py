"""The address of a caller is the one that the proxy saw."""

from __future__ import annotations

import pytest
from tornado.httputil import HTTPHeaders

from workshop.hub import callers


@pytest.fixture
def context(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr(callers.CONTEXT, "_apply_xheaders", callers.READ_HEADERS)
    found = callers.CONTEXT.__new__(callers.CONTEXT)
    found.remote_ip, found.protocol, found.trusted_downstream = "127.0.0.1", "http", set()
    return found


HEADERS = {"X-Forwarded-For": "10.9.9.9,192.168.4.20", "X-Real-Ip": "10.0.0.77"}


def test_an_address_that_a_caller_claims_is_not_believed(context: object) -> None:
    context._apply_xheaders(HTTPHeaders(HEADERS))  # type: ignore[attr-defined]
    assert context.remote_ip == "10.0.0.77"  # type: ignore[attr-defined]
    callers.believe_the_proxy_alone()
    context._apply_xheaders(HTTPHeaders(HEADERS))  # type: ignore[attr-defined]
    assert context.remote_ip == "192.168.4.20"  # type: ignore[attr-defined]
