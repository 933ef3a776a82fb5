// The way that answers take through the tree, as qlearn.course.decision_paths follows it.

/** The questions on the way, each with its answer or null, and the name of the leaf or null. */
export function follow({ root, questions }, answers) {
  const steps = [];
  let at = root;
  while (at in questions) {
    const { text, answers: choices } = questions[at];
    const answer = choices.find(({ name }) => name === answers[at]) ?? null;
    steps.push({ name: at, text, choices, answer });
    if (!answer) return { steps, leaf: null };
    at = answer.to;
  }
  return { steps, leaf: at };
}
