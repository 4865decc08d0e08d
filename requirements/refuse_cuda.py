"""Read pip's report of what it would install; refuse a torch with CUDA, which no test needs and which is huge."""

import json
import sys


def main() -> int:
    """Return 1, with what to do, when torch would come as a CUDA build."""
    plans = [item["metadata"] for item in json.load(sys.stdin)["install"]]
    for plan in plans:
        if plan["name"] == "torch" and sys.platform == "linux" and "+cpu" not in plan["version"]:
            message = f"make: pip would install torch {plan['version']} with CUDA, expected a +cpu build; "
            sys.stderr.write(message + "add PyTorch's index of CPU wheels to pip's settings and run make again\n")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
