"""What schemathesis needs to call an API that wants signatures of AWS."""

import requests
import schemathesis
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials


class Signature(requests.auth.AuthBase):
    """Signs as the emulator's account."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        """Return the request with its signature."""
        signed = AWSRequest(method=request.method, url=request.url, data=request.body)
        SigV4Auth(Credentials("test", "test"), "execute-api", "us-east-1").add_auth(signed)
        request.headers.update(signed.headers.items())
        return request


schemathesis.auth.set_from_requests(Signature())
