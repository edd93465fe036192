/** Numbers of answers and rounds. Every figure is the median of its rounds. */
export const fullPlan = {
  rounds: 3,
  /** Number of answers with which each process is warmed up, so that all code is compiled before the measurement. */
  warmUpAnswers: 400,
  /** Numbers of answers per round, summed over all visitors. */
  firstTokenAnswers: 480,
  tokenAnswers: 192,
  builtInAnswers: 1_600,
  /** Number of rounds with many concurrent answers. Each round starts its own processes. */
  crowdRounds: 3,
};

export type ChatPlan = typeof fullPlan;

export const quickPlan: ChatPlan = {
  rounds: 1,
  warmUpAnswers: 200,
  firstTokenAnswers: 160,
  tokenAnswers: 64,
  builtInAnswers: 800,
  crowdRounds: 1,
};
