"""Builds the wheel with the standard library, so that `pip install` of this folder needs no network and no setuptools."""

import base64
import hashlib
import pathlib
import zipfile

NAME, VERSION = "procwire_client", "0.1.0"
METADATA = f"""Metadata-Version: 2.1
Name: procwire-client
Version: {VERSION}
Summary: A client of the procwire and Codex exec-server wire: processes on another host.
License: Apache-2.0
Requires-Python: >=3.10
Provides-Extra: ws
Requires-Dist: websockets>=10; extra == "ws"
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: procwire\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
SCRIPTS = "[console_scripts]\nprocwire-python = procwire_client.__main__:main\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """The hook of PEP 517."""
    info = f"{NAME}-{VERSION}.dist-info"
    package = pathlib.Path(__file__).parent / NAME
    files = {f"{NAME}/{file.name}": file.read_bytes() for file in sorted(package.glob("*.py"))}
    texts = {"METADATA": METADATA, "WHEEL": WHEEL, "entry_points.txt": SCRIPTS}
    files.update({f"{info}/{name}": text.encode() for name, text in texts.items()})
    record = []
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}\n")
    files[f"{info}/RECORD"] = ("".join(record) + f"{info}/RECORD,,\n").encode()
    wheel = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return wheel
