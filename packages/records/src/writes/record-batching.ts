/** Returns the options of a statement that concurrent creates, or concurrent patches, share. */
export const recordBatching = <Call extends { orgId: string }>(charactersOf: (call: Call) => number) => ({
  partyOf: ({ orgId }: Call) => [orgId],
  itemsMax: 100,
  partyMax: 25,
  // One at a time, so that rows become visible in the order of their ids and pages stay stable.
  flushers: 1,
  waitingMax: 5_000,
  weight: { of: charactersOf, batchMax: 1_000_000, waitingMax: 64_000_000 },
});
