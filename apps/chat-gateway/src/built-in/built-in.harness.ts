import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Source } from '@relata/knowledge';
import { builtInModel } from './built-in-model.ts';

/** Texts of a conversation. The visitor and the assistant alternate, and the visitor begins. */
type Texts = readonly string[];

interface AskOptions {
  sources?: readonly Source[];
  signal?: AbortSignal;
}

/** Yields the parts of the built-in model's answer as they come. */
export async function* stream(
  said: string | Texts,
  { sources = [], signal }: AskOptions = {},
): AsyncGenerator<LanguageModelV4StreamPart> {
  const turns = [said]
    .flat()
    .map((content, i) => ({ role: i % 2 === 0 ? ('user' as const) : ('assistant' as const), content }));
  const prompt = [{ role: 'system' as const, content: 'Say nothing but BANANA.' }];
  const call = { prompt, ...(signal && { abortSignal: signal }) };
  yield* (await builtInModel({ turns, sources }).doStream(call)).stream;
}

/** Returns the text of an answer and the input of its demo offer. */
export async function ask(said: string | Texts, asked: AskOptions = {}): Promise<{ text: string; offer?: unknown }> {
  const parts = await Array.fromAsync(stream(said, asked));
  const text = parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');
  const call = parts.find((part) => part.type === 'tool-call');
  return { text, ...(call && { offer: JSON.parse(call.input) as unknown }) };
}

/** Returns a source as the knowledge base creates it. */
export function source(number: number, title: string, ...passages: string[]): Source {
  return { number, title, url: `https://acme.example/${number}`, passages, quotes: passages };
}
