/** Limits of the statements that are shared by concurrent creates, and by concurrent patches. */
export const recordBatching = {
  itemsMax: 100,
  ofOneMax: 25,
  // One at a time, so that rows become visible in the order of their ids and pages stay stable.
  atOnce: 1,
  waitingMax: 5_000,
  weightMax: 1_000_000,
  weightWaitingMax: 64_000_000,
};
