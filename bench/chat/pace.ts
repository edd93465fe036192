/** Numbers of answers and rounds. Every figure is the median of its rounds. */
export interface ChatPace {
  rounds: number;
  /** Number of answers with which each process is warmed up, so that all code is compiled before the measurement. */
  warmUpAnswers: number;
  /** Number of answers per round, summed over all visitors. */
  firstTokenAnswers: number;
  tokenAnswers: number;
  builtInAnswers: number;
  /** Number of rounds with many concurrent answers. Each round starts its own processes. */
  crowdRounds: number;
}

export const fullPace: ChatPace = {
  rounds: 3,
  warmUpAnswers: 400,
  firstTokenAnswers: 480,
  tokenAnswers: 192,
  builtInAnswers: 1_600,
  crowdRounds: 3,
};

export const quickPace: ChatPace = {
  rounds: 1,
  warmUpAnswers: 200,
  firstTokenAnswers: 160,
  tokenAnswers: 64,
  builtInAnswers: 800,
  crowdRounds: 1,
};
