/** Time limits of an answer, in milliseconds. The gateway's keep-alives count as data. */
const limits = { startMs: 30_000, silenceMs: 45_000, wholeMs: 300_000 };

/** Starts the time limits of an answer: until its first data, for each later silence, and for the whole answer. */
export function startAnswerTimeout(caller: AbortSignal) {
  const timedOut = new AbortController();
  const giveUp = () => timedOut.abort(new DOMException('The answer took too long.', 'TimeoutError'));
  const whole = setTimeout(giveUp, limits.wholeMs);
  let next = setTimeout(giveUp, limits.startMs);
  return {
    /** Aborted when the caller's signal is aborted or a limit is reached. */
    signal: AbortSignal.any([caller, timedOut.signal]),
    onData: () => {
      clearTimeout(next);
      next = setTimeout(giveUp, limits.silenceMs);
    },
    end: () => {
      clearTimeout(whole);
      clearTimeout(next);
    },
  };
}
