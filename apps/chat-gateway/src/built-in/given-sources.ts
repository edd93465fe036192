import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { Source } from '@relata/knowledge';

/** The sources that the gateway hands to a model beside the prompt; none where there are none. */
export function givenSources(options: LanguageModelV4CallOptions['providerOptions']): Source[] {
  const sources: unknown = options?.['relata']?.['sources'];
  return Array.isArray(sources) ? sources.filter(isSource) : [];
}

function isSource(value: unknown): value is Source {
  if (typeof value !== 'object' || value === null) return false;
  const { number, title, passages } = value as Partial<Source>;
  return (
    Number.isInteger(number) &&
    typeof title === 'string' &&
    Array.isArray(passages) &&
    passages.every((passage) => typeof passage === 'string')
  );
}
