/** Creates and patches share a statement with what arrives at the same time. */
export const recordLane = {
  itemsMax: 100,
  ofOneMax: 25,
  // One after the other, so that rows become visible in the order of their ids and pages stay as they are.
  atOnce: 1,
  waitingMax: 5_000,
  weightMax: 1_000_000,
  weightWaitingMax: 64_000_000,
};
