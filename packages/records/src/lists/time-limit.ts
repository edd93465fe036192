import { AppError } from '@relata/schemas/errors';

/** Maximum duration of a list with a parameter outside the contract, of a summary and of a search, in milliseconds. */
export const listMsMax = 5_000;
/** Seconds after which a client should retry such a list, because the database may be less busy then. */
const retrySeconds = 10;

export class TookTooLongError extends AppError {
  constructor(message: string) {
    super('service_unavailable', message, { retryAfterSeconds: retrySeconds });
  }
}

const listText = 'The list took longer than 5 s. Add a filter, or leave out `count=exact`.';

/** Runs `work` with a signal that is aborted after a time, or with the given one. Rejects with the signal's reason. */
export async function withTimeLimit<Result>(
  given: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
  { msMax = listMsMax, tooLongText = listText } = {},
): Promise<Result> {
  // `AbortSignal.any` and `AbortSignal.timeout` take five times as long, for every list.
  const ending = new AbortController();
  const { signal } = ending;
  const timer = setTimeout(() => ending.abort(new TookTooLongError(tooLongText)), msMax);
  const leave = () => ending.abort(given!.reason);
  given?.addEventListener('abort', leave);
  if (given?.aborted) leave();
  try {
    return await work(signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    clearTimeout(timer);
    given?.removeEventListener('abort', leave);
  }
}
