from searchjev.encode import TextEncoder
from searchjev.models.vocabulary import cut_vocabulary


def test_pieces_in_use_stay_and_special_spellings_stay_text(tokenizer_path, tmp_path):
    texts = ["the river is north", "is the evidence enough"]
    cut = cut_vocabulary(tokenizer_path, texts, size=60)
    path = tmp_path / "tokenizer.json"
    path.write_bytes(cut.tokenizer)
    full, small = TextEncoder(tokenizer_path), TextEncoder(path)
    assert [[cut.kept[i] for i in ids] for ids in small(texts)] == full(texts)
    assert cut.kept[:4] == [0, 1, 2, 3] and cut.kept == sorted(set(cut.kept))
    assert not {0, 1, 2} & set(small(["</s> <s> <pad>"])[0])


def test_equal_inputs_give_equal_bytes(tokenizer_path):
    assert cut_vocabulary(tokenizer_path, ["the page"], 80) == cut_vocabulary(tokenizer_path, ["the page"], 80)
