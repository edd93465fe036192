import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { unlessAborted } from '@relata/runtime';
import { tracing } from '@relata/telemetry';
import { CallEnd } from './call-end.ts';
import { ModelError, wasNeverRead } from './model-error.ts';
import { beginModelTrace, noteUsage } from './model-trace.ts';

export interface TokenCount {
  /** Undefined if the model did not report its usage. */
  reported: number | undefined;
  /** Length of the answer in UTF-8, in bytes. */
  outputBytes: number;
}

export interface BoundedCall {
  model: LanguageModelV4;
  call: LanguageModelV4CallOptions;
  /** Maximum time until the first token, and maximum silence between two later parts, in ms. */
  firstTokenMs: number;
  stallMs: number;
  /**
   * Called after `firstTokenMs` without a token. The call is aborted once the promise resolves, unless the answer has
   * begun by then.
   */
  turnToGiveUp: () => Promise<void>;
  /** Maximum length of an answer in UTF-8, in bytes, regardless of the token count. */
  outputBytesMax: number;
  /** Called once with the usage when the stream has ended, for whatever reason. */
  onUsage: (tokens: TokenCount) => void;
}

type Part = LanguageModelV4StreamPart;

/**
 * Returns the next part; undefined if the stream has ended. Throws errors of the model, and the abort reason if the
 * call was aborted.
 */
type Next = () => Promise<Part | undefined>;

/**
 * Asks a model and yields its answer. It limits the time until the first token, the silence after it, and the length.
 * The call also ends when its own signal is aborted, or when the reader stops. No part is yielded before the first
 * token, and a failure until then is thrown. A later failure is yielded as an error part, so that the answer can end
 * properly.
 */
export async function* boundedStream(bounded: BoundedCall): AsyncGenerator<Part, void, undefined> {
  const { call, firstTokenMs, stallMs, onUsage } = bounded;
  const tokens: TokenCount = { reported: undefined, outputBytes: 0 };
  const trace = tracing && beginModelTrace(tracing, bounded);
  using end = new CallEnd(call.abortSignal);
  let [hasBegun, isWhole] = [false, false];
  const silence = new ModelError('The model was silent for too long.');
  const held: Part[] = [];
  try {
    end.within(firstTokenMs, silence, bounded.turnToGiveUp);
    const ask = () => asked(bounded, end, tokens);
    const next = await (trace ? tracing!.within(trace, ask) : ask());
    await readFirstToken(next, call, held);
    end.withoutLimit();
    hasBegun = true;
    yield* held;
    while (!isWhole) {
      end.within(stallMs, new ModelError('The model fell silent.'));
      const part = await next();
      // Sets no limit while the visitor reads the part, since a slow reader does not count as silence of the model.
      end.withoutLimit();
      if (!part || isBrokenOff(part)) throw new ModelError('The model closed the connection too early.');
      isWhole = part.type === 'finish';
      if (trace && part.type === 'finish') noteUsage(trace, part.usage);
      yield part;
    }
  } catch (error) {
    trace?.fail(error);
    const hasNotAnswered = end.signal.reason === silence && held.every(({ type }) => type === 'stream-start');
    if (!hasBegun && (hasNotAnswered || wasNeverRead(error))) tokens.reported = 0;
    if (!hasBegun) throw error;
    yield { type: 'error', error };
  } finally {
    if (!isWhole) end.now(new ModelError('The call ended before the answer was complete.'));
    onUsage(tokens);
    trace?.end();
  }
}

/**
 * Asks the model, and returns a function that reads its parts. A pending read ends with the call, even if the model
 * ignores the signal.
 */
async function asked({ model, call, outputBytesMax }: BoundedCall, end: CallEnd, tokens: TokenCount): Promise<Next> {
  const { signal } = end;
  const asking = Promise.resolve(model.doStream({ ...call, abortSignal: signal }));
  const { stream } = await unlessAborted(asking, signal);
  const reader = stream.getReader();
  const cancel = () => void reader.cancel(signal.reason).catch(() => {});
  if (signal.aborted) cancel();
  signal.addEventListener('abort', cancel, { once: true });
  return async () => {
    const { value: part } = await reader.read();
    signal.throwIfAborted();
    if (part?.type === 'error') throw part.error;
    if (part) count(part, tokens);
    if (tokens.outputBytes > outputBytesMax) throw new ModelError('The model wrote too much for one answer.');
    return part;
  };
}

/** Maximum number of parts before the first token. */
const partsBeforeMax = 10_000;

/** Adds the parts up to the first token to `held`. */
async function readFirstToken(next: Next, { tools = [] }: LanguageModelV4CallOptions, held: Part[]): Promise<void> {
  const toolNames = new Set(tools.map(({ name }) => name));
  while (held.length < partsBeforeMax) {
    const part = await next();
    if (!part || part.type === 'finish') throw new ModelError('The model ended without an answer.');
    held.push(part);
    if (isToken(part, toolNames)) return;
  }
  throw new ModelError('The model sent many parts without an answer.');
}

/** Returns true for a part that the visitor sees: text other than white space, or a call of a known tool. */
function isToken(part: Part, toolNames: ReadonlySet<string>): boolean {
  return (
    (part.type === 'text-delta' && /\S/.test(part.delta)) || (part.type === 'tool-call' && toolNames.has(part.toolName))
  );
}

/**
 * Returns true if the answer ended early. The SDK also reports an end if the connection was closed, but then without
 * the raw reason that a model sends.
 */
function isBrokenOff(part: Part): boolean {
  if (part.type !== 'finish') return false;
  const { unified, raw } = part.finishReason;
  return unified === 'interrupted' || unified === 'error' || (unified === 'other' && raw === undefined);
}

/**
 * Counts the bytes of a part, including reasoning and tool input, which are billed, too. Records the reported usage. If
 * it is missing, zero or impossible, the tokens are estimated from the length instead.
 */
function count(part: Part, tokens: TokenCount): void {
  if ('delta' in part) tokens.outputBytes += Buffer.byteLength(part.delta);
  if (part.type !== 'finish') return;
  const { total: input = 0 } = part.usage.inputTokens;
  const { total: output = 0 } = part.usage.outputTokens;
  if ([input, output].every(isCount) && input + output > 0) tokens.reported = input + output;
}

/** Maximum number of tokens that is accepted from a report. No model reads or writes so many for one answer. */
const reportedMax = 100_000_000;

/** Returns true if a model can have used this number of tokens. A server may report anything. */
const isCount = (tokens: number) => Number.isInteger(tokens) && tokens >= 0 && tokens <= reportedMax;
