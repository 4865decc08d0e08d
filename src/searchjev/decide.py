"""SearchJev.load(path?).decide(state, questions): answers in process, typed, thread-safe."""
