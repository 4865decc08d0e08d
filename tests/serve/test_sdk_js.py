"""The official JavaScript SDK against a live server, where node finds it (see NODE_PATH)."""

import json
import os
import shutil
import subprocess

import pytest

from tests.serve.client import call

SCRIPT = """
const { TypeSafeClient, choice, noul, score } = require("@typesafe-ai/sdk");
const client = new TypeSafeClient({ baseURL: process.env.URL, apiKey: "any" });
const failure = async (ask) => {
  try { await ask(); return null; }
  catch (e) { return { name: e.constructor.name, status: e.status, message: e.message }; }
};
(async () => {
  const good = await client.systemOne({
    state: { query: "return policy", documents: ["Returns within 30 days.", "One year warranty."] },
    questions: {
      yes: noul("`documents.0` answers `query`"),
      which: choice("Which?", { "0": null, "1": "the warranty", b: ["x"] }),
      how: score("How well?", ["not", { label: "well" }]),
      bare: { type: "noul", instructions: null, criteria: { true: "asks for money" } },
    },
  });
  const wrong = await failure(() => client.systemOne({ state: null, questions: { q: noul("x") } }));
  const cut = await failure(() => client.systemOne({ state: "cut \\ud83d", questions: { q: noul("x") } }));
  const name = await failure(() => client.systemOne({ state: "s", model: "nope", questions: { q: noul("x") } }));
  const models = await client.models.list();
  console.log(JSON.stringify({ good, wrong, cut, name, models }));
})();
"""


def node(script: str, url: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "URL": url}
    return subprocess.run(["node", "-e", script], capture_output=True, text=True, timeout=60, env=environment)


def has_sdk() -> bool:
    return shutil.which("node") is not None and node('require.resolve("@typesafe-ai/sdk")', "").returncode == 0


@pytest.mark.slow
def test_answers_and_errors(url):
    if not has_sdk():
        pytest.skip(
            "needs node with @typesafe-ai/sdk@0.6.0: npm install it in a folder, set NODE_PATH to its node_modules"
        )
    done = node(SCRIPT, url)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    answers = result["good"]["answers"]
    assert {name: answer["type"] for name, answer in answers.items()} == {
        "yes": "noul", "which": "choice", "how": "score", "bare": "noul",
    }  # fmt: skip
    assert answers["how"]["legend"] == {"0": "not", "1": {"label": "well"}}
    assert set(answers["which"]["probabilities"]) == {"0", "1", "b"}
    assert [result[case]["status"] for case in ("wrong", "cut", "name")] == [422, 422, 404]
    assert result["wrong"]["name"] == "UnprocessableEntityError"
    assert "state" in result["wrong"]["message"]
    assert "surrogate" in result["cut"]["message"]
    assert result["models"] == call(url, "GET", "/v1/models").json["models"]
