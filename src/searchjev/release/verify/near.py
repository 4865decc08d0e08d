"""The claim that no two splits hold near duplicates, recomputed from the states of the release."""

from pathlib import Path

import msgspec
import numpy as np

from searchjev.release.files import SPLITS, Line
from searchjev.release.near import THRESHOLD, Shingles, pairs, shingles
from searchjev.release.steps.near_duplicates import Signer
from searchjev.release.table import state_digest, state_text
from searchjev.release.verify.claim import Check, Claim, Place
from searchjev.schema import Sample


class NearDuplicates(Check):
    """No state nearly repeats one of another split."""

    name, stated = "near duplicates", f"no state within Jaccard {THRESHOLD} of another split's"

    def __init__(self, release: Path) -> None:
        super().__init__()
        self.paths = [release / f"{split}.jsonl" for split in SPLITS]
        self.signer = Signer()
        self.places: list[tuple[int, int, int]] = []

    def see(self, at: Place, line: Line) -> None:
        """Sign the line's state."""
        self.signer.add(len(self.places), state_digest(line.sample.state), line.sample.state)
        self.places.append((SPLITS.index(at.split), at.number, at.offset))

    def claims(self) -> list[Claim]:
        """Compare the splits of every pair."""
        rows, values = self.signer.signed()
        places = np.array(self.places, np.int64).reshape(-1, 3)[rows]
        decode = msgspec.json.Decoder(Sample).decode
        files = [path.open("rb") for path in self.paths]

        def shingles_of(place: int) -> Shingles:
            split, _, offset = places[place].tolist()
            files[split].seek(offset)
            return shingles(state_text(decode(files[split].readline()).state))

        for first, second, _ in pairs(values, shingles_of).pairs:
            one, other = (places[place].tolist() for place in (first, second))
            where = Place(SPLITS[other[0]], other[1]).in_data("state")
            self.expect(one[0] == other[0], f"{where}: nearly that of {SPLITS[one[0]]}.jsonl, line {one[1]}")
        for file in files:
            file.close()
        found = f"{len(rows):,} states compared, {self.failures:,} of {self.seen:,} pairs fail"
        return [Claim(self.name, self.stated, found, self.failed_at)]
