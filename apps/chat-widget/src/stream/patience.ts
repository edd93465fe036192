/** How long an answer may take, in milliseconds. The gateway's keep-alives count as a sign of life. */
const patience = { startMs: 30_000, silenceMs: 45_000, wholeMs: 300_000 };

export interface Patience {
  /** Ends when the caller's signal does, or when waiting has lasted too long. */
  readonly signal: AbortSignal;
  /** Something was heard: the wait begins anew. */
  heard(): void;
  end(): void;
}

/** Bounds the wait for an answer: until it begins, from one sign of life to the next, and as a whole. */
export function startPatience(caller: AbortSignal): Patience {
  const out = new AbortController();
  const giveUp = () => out.abort(new DOMException('The answer took too long.', 'TimeoutError'));
  const whole = setTimeout(giveUp, patience.wholeMs);
  let next = setTimeout(giveUp, patience.startMs);
  return {
    signal: AbortSignal.any([caller, out.signal]),
    heard: () => {
      clearTimeout(next);
      next = setTimeout(giveUp, patience.silenceMs);
    },
    end: () => {
      clearTimeout(whole);
      clearTimeout(next);
    },
  };
}
