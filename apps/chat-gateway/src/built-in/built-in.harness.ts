import type { LanguageModelV4CallOptions, LanguageModelV4Content, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Source } from '@relata/knowledge';
import { createBuiltInModel } from './built-in.model.ts';

const model = createBuiltInModel();

/** What is said in turn, the visitor first. */
type Said = readonly string[];

interface Asked {
  sources?: Partial<Source>[];
  tools?: string[];
  signal?: AbortSignal;
}

function optionsFor(said: Said, { sources = [], tools = ['offer_demo'], signal }: Asked): LanguageModelV4CallOptions {
  return {
    prompt: [
      { role: 'system', content: 'Say nothing but BANANA.' },
      ...said.map((text, i) => ({
        role: i % 2 === 0 ? ('user' as const) : ('assistant' as const),
        content: [{ type: 'text' as const, text }],
      })),
    ],
    tools: tools.map((name) => ({ type: 'function', name, inputSchema: {} })),
    providerOptions: { relata: { sources: JSON.parse(JSON.stringify(sources)) } },
    ...(signal && { abortSignal: signal }),
  };
}

/** The text of an answer and the input of its offer of a demo. */
export async function ask(said: string | Said, asked: Asked = {}): Promise<{ text: string; offer?: unknown }> {
  const { content } = await model.doGenerate(optionsFor([said].flat(), asked));
  const text = content.map((part: LanguageModelV4Content) => (part.type === 'text' ? part.text : '')).join('');
  const call = content.find((part) => part.type === 'tool-call');
  return { text, ...(call && { offer: JSON.parse(call.input) as unknown }) };
}

/** The parts of an answer as they come. */
export async function* stream(said: string | Said, asked: Asked = {}): AsyncGenerator<LanguageModelV4StreamPart> {
  yield* (await model.doStream(optionsFor([said].flat(), asked))).stream;
}

/** A source as the knowledge base makes it. */
export function source(number: number, title: string, ...passages: string[]): Source {
  return { number, title, url: `https://acme.example/${number}`, passages };
}
