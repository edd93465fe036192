import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { ModelError } from './model-error.ts';

type PartReader = ReadableStreamDefaultReader<LanguageModelV4StreamPart>;

/** An answer that has begun: what came up to its first token, and whence the rest comes. */
export interface Begun {
  parts: LanguageModelV4StreamPart[];
  reader: PartReader;
  /** Ends the call to the model. */
  stop: (reason: unknown) => void;
}

/** What a model may send ahead of its first token: more is no answer. */
const partsBeforeMax = 10_000;

/** Asks a model, and waits until there is something to show. Rejects where that fails, or takes longer than allowed. */
export async function beginning(
  model: LanguageModelV4,
  call: LanguageModelV4CallOptions,
  firstTokenMs: number,
): Promise<Begun> {
  const ending = new AbortController();
  const signals = [ending.signal, ...(call.abortSignal ? [call.abortSignal] : [])];
  const abortSignal = AbortSignal.any(signals);
  const timer = setTimeout(() => ending.abort(new ModelError('The model was silent for too long.')), firstTokenMs);
  try {
    const asking = Promise.resolve(model.doStream({ ...call, abortSignal }));
    const { stream } = await unlessAborted(asking, abortSignal);
    const reader = stream.getReader();
    const parts = await unlessAborted(readToFirstToken(reader, call), abortSignal);
    return { parts, reader, stop: (reason) => ending.abort(reason) };
  } catch (error) {
    ending.abort(error);
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Also where the model itself does not listen to the signal. */
function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([work, aborted.promise]).finally(() => signal.removeEventListener('abort', abort));
}

async function readToFirstToken(
  reader: PartReader,
  { tools = [] }: LanguageModelV4CallOptions,
): Promise<LanguageModelV4StreamPart[]> {
  const toolNames = new Set(tools.map(({ name }) => name));
  const parts: LanguageModelV4StreamPart[] = [];
  while (parts.length < partsBeforeMax) {
    const { done, value: part } = await reader.read();
    if (done || part.type === 'finish') throw new ModelError('The model ended without an answer.');
    if (part.type === 'error') throw part.error;
    parts.push(part);
    if (isToken(part, toolNames)) return parts;
  }
  throw new ModelError('The model sent much, and no answer.');
}

/** Something that the visitor gets to see; white space is nothing, and so is the call of a tool that there is not. */
function isToken(part: LanguageModelV4StreamPart, toolNames: ReadonlySet<string>): boolean {
  return (
    (part.type === 'text-delta' && /\S/.test(part.delta)) || (part.type === 'tool-call' && toolNames.has(part.toolName))
  );
}
