/** How much is asked. Every figure is a median of so many rounds. */
export interface ChatPace {
  rounds: number;
  /** Answers of each process before anything is measured, so that everything is compiled. */
  warmUpAnswers: number;
  /** Answers in a round, over all who ask at once. */
  firstTokenAnswers: number;
  tokenAnswers: number;
  builtInAnswers: number;
  /** Each with processes of its own. */
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
