"""The image runs with the token, so it is named by a digest: a tag can be moved."""

from __future__ import annotations

from collections.abc import Iterator

from draftgate.doctor.base import CONFIGURATION, Check, Verdict, ok, warning, wrong
from draftgate.doctor.facts.pipeline import PipelineFacts


def _judge(facts: PipelineFacts) -> Iterator[Verdict]:
    if facts.include is None:
        return
    image = facts.include.image
    if not image:
        yield wrong(
            "the template is included without its input `image`", "name the image", lines=("inputs:", "  image: …")
        )
    elif "example.com" in image or image.endswith("…"):
        yield wrong(f"the image is still the example's: {image}", "name the image that you built, with its digest")
    elif "@sha256:" not in image and "$" not in image:
        yield warning(f"{image} can become another program without a change here", "name it by its digest")
    else:
        yield ok("the image is named by a digest" if "@sha256:" in image else f"the image is what {image} holds")


CHECK = Check(
    "pipeline.image",
    "image",
    _judge,
    wrong_if="the template is included without an image, or with the example's",
    warns_if="the image is not named by a digest",
    exit_code=CONFIGURATION,
)
