"""Pictures, from what people send to what models take."""

from __future__ import annotations

import io
import zlib

import PIL.Image
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cloche.errors import TurnError
from cloche.llm.images import MAX_BYTES, MAX_SIDE, prepare_image

GPS = 0x8825
ORIENTATION = 0x0112


def file(
    kind: str = "JPEG", size: tuple[int, int] = (40, 20), mode: str = "RGB", **options
) -> bytes:
    buffer = io.BytesIO()
    color = "purple" if mode in ("RGB", "RGBA", "P") else 120
    PIL.Image.new(mode, size, color).save(buffer, kind, **options)
    return buffer.getvalue()


def opened(data: bytes, name: str = "picture") -> tuple[str, PIL.Image.Image]:
    made = prepare_image(data, name)
    image = PIL.Image.open(io.BytesIO(made.data))
    assert PIL.Image.MIME[image.format or ""] == made.media_type
    return made.media_type, image


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "GIF", "WEBP"])
def test_each_kind_of_picture_is_known_by_its_content_not_its_name(kind: str):
    media_type, image = opened(file(kind), "misleading.pdf")
    assert media_type == ("image/png" if kind in ("PNG", "GIF") else "image/jpeg")
    assert image.size == (40, 20)
    red, green, blue = image.convert("RGB").getpixel((20, 10))
    assert max(abs(red - 128), green, abs(blue - 128)) < 6  # still purple


def test_a_large_photo_is_scaled_down_and_keeps_its_shape():
    _, image = opened(file(size=(6000, 3000)))
    assert image.size == (MAX_SIDE, MAX_SIDE // 2)


def test_a_long_strip_keeps_at_least_a_pixel():
    _, image = opened(file("PNG", size=(20_000, 2)))
    assert image.size == (MAX_SIDE, 1)


def test_a_small_picture_is_not_blown_up():
    assert opened(file(size=(3, 2)))[1].size == (3, 2)


def test_a_photo_taken_sideways_stands_upright():
    exif = PIL.Image.Exif()
    exif[ORIENTATION] = 6  # turn by 90 degrees to look at it
    assert opened(file(size=(40, 20), exif=exif))[1].size == (20, 40)


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_where_and_by_whom_a_photo_was_taken_stays_here(kind: str):
    exif = PIL.Image.Exif()
    exif[0x013B] = "Ann Author"
    exif.get_ifd(GPS)[2] = (59.0, 54.0, 0.0)
    data = file(kind, exif=exif)
    assert b"Ann Author" in data
    made = prepare_image(data, "beach")
    image = PIL.Image.open(io.BytesIO(made.data))
    assert b"Ann Author" not in made.data
    assert not image.getexif()
    assert not {"exif", "xmp", "comment", "icc_profile"} & set(image.info)


@pytest.mark.parametrize("kind", ["JPEG", "GIF"])
def test_comments_stay_here(kind: str):
    data = file(kind, comment=b"at my home address")
    assert b"home address" in data
    assert b"home address" not in prepare_image(data, "x").data


def test_what_shines_through_stays_so():
    media_type, image = opened(file("PNG", mode="RGBA"))
    assert (media_type, image.mode) == ("image/png", "RGBA")


@pytest.mark.parametrize(("kind", "mode"), [("JPEG", "CMYK"), ("JPEG", "L"), ("PNG", "1")])
def test_unusual_colours_become_usual_ones(kind: str, mode: str):
    assert opened(file(kind, mode=mode))[1].mode == "RGB"


def test_sixteen_bits_of_grey_are_not_turned_white():
    image = PIL.Image.new("I;16", (4, 4), 32_768)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    assert opened(buffer.getvalue())[1].getpixel((1, 1)) == (128, 128, 128)


def test_a_picture_that_packs_badly_still_fits():
    noise = PIL.Image.effect_noise((1568, 1568), 120)
    channels = PIL.Image.merge("RGB", [noise, noise.rotate(90), noise.rotate(180)])
    buffer = io.BytesIO()
    channels.save(buffer, "PNG")
    assert len(buffer.getvalue()) > MAX_BYTES
    media_type, image = opened(buffer.getvalue())
    assert media_type == "image/jpeg"
    assert image.size == (1568, 1568)


def test_an_animation_becomes_its_first_frame():
    frames = [PIL.Image.new("RGB", (10, 10), colour) for colour in ("red", "blue")]
    buffer = io.BytesIO()
    frames[0].save(buffer, "GIF", save_all=True, append_images=frames[1:])
    _, image = opened(buffer.getvalue())
    assert getattr(image, "n_frames", 1) == 1
    assert image.convert("RGB").getpixel((5, 5))[0] > 200


def bomb(side: int) -> bytes:
    """A PNG of side x side black pixels that says so in very few bytes."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        check = zlib.crc32(kind + body).to_bytes(4)
        return len(body).to_bytes(4) + kind + body + check

    header = side.to_bytes(4) * 2 + bytes([1, 0, 0, 0, 0])
    pixels = zlib.compress(bytes(1000))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        chunk(*each) for each in ((b"IHDR", header), (b"IDAT", pixels), (b"IEND", b""))
    )


SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
HEIC = b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00heicmif1" + bytes(64)
REFUSED = {
    "nothing": (b"", "empty"),
    "svg": (SVG, "JPEG, PNG, GIF and WebP"),
    "heic": (HEIC, "JPEG, PNG, GIF and WebP"),
    "pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "JPEG, PNG, GIF and WebP"),
    "tiff": (file("TIFF"), "JPEG, PNG, GIF and WebP"),
    "text": (b"hello", "JPEG, PNG, GIF and WebP"),
    "truncated": (file(size=(400, 400))[:600], "damaged or incomplete"),
    "forty-nine megapixels": (bomb(7_000), "too large"),
    "a hundred megapixels": (bomb(10_000), "too large"),
    "a bomb": (bomb(50_000), "too large"),
}


@pytest.mark.parametrize(("data", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_usable_picture_is_told_in_one_clear_sentence(data: bytes, said: str):
    with pytest.raises(TurnError) as refused:
        prepare_image(data, "holiday.jpg")
    message = refused.value.user_message
    assert said in message
    assert "holiday.jpg" in message
    assert message.count(".") <= 3  # the file's name has one


@pytest.mark.parametrize(
    ("language", "begins"), [("es", "No puedo abrir la imagen"), ("zh", "我打不开这张图片")]
)
def test_the_sentence_is_in_the_person_s_language(language: str, begins: str):
    with pytest.raises(TurnError) as refused:
        prepare_image(b"?", "", language)
    assert refused.value.user_message.startswith(begins)


def test_a_name_is_quoted_where_no_spaces_part_words():
    with pytest.raises(TurnError) as refused:
        prepare_image(b"?", "a.jpg", "zh")
    assert refused.value.user_message.startswith("我打不开“a.jpg”")


def test_a_name_cannot_smuggle_lines_or_folders_into_the_sentence():
    with pytest.raises(TurnError) as refused:
        prepare_image(b"", "../../etc/a\n\nb" + "c" * 500)
    assert "etc" not in refused.value.user_message
    assert "\n" not in refused.value.user_message
    assert len(refused.value.user_message) < 200


@settings(max_examples=150, deadline=None)
@given(
    kind=st.sampled_from(["JPEG", "PNG", "GIF", "WEBP"]),
    changes=st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=12),
    keep=st.integers(0, 2000),
)
def test_damaged_files_give_a_picture_or_a_sentence(kind: str, changes: list, keep: int):
    data = bytearray(file(kind, size=(30, 30)))
    for at, value in changes:
        data[at % len(data)] = value
    try:
        made = prepare_image(bytes(data[:keep]), "x")
    except TurnError as refused:
        assert refused.user_message  # noqa: PT017 - a picture is as right as a sentence
    else:
        assert len(made.data) <= MAX_BYTES
