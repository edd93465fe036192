import type { ContactReason, SourceLink } from '../chat/message.ts';
import { asRecord } from './record.ts';

/** Parts of a UI-message stream that the widget uses; it ignores all others. */
export type AnswerPart =
  | { readonly type: 'text-start' }
  | { readonly type: 'text-delta'; readonly delta: string }
  | { readonly type: 'source'; readonly source: SourceLink }
  | { readonly type: 'demo'; readonly input: Record<string, unknown> }
  | { readonly type: 'contact'; readonly reason: ContactReason }
  | { readonly type: 'error' }
  /** `isAtLimit`: true if the model's length limit ended the answer. */
  | { readonly type: 'finish'; readonly isAtLimit?: boolean };

/** Parses the data of an event. Returns undefined for a part of an unknown kind. Throws if the data is not JSON. */
export function parseAnswerPart(data: string): AnswerPart | undefined {
  const part = asRecord(JSON.parse(data));
  switch (part.type) {
    case 'text-start':
    case 'error':
      return { type: part.type };
    case 'finish':
      return { type: 'finish', ...(part.finishReason === 'length' && { isAtLimit: true }) };
    case 'text-delta':
      return typeof part.delta === 'string' ? { type: 'text-delta', delta: part.delta } : undefined;
    case 'source-url':
      return sourcePart(part);
    case 'tool-input-available':
      return part.toolName === 'offer_demo' ? { type: 'demo', input: asRecord(part.input) } : undefined;
    case 'data-contact':
      return contactPart(asRecord(part.data));
    default:
      return undefined;
  }
}

function contactPart({ reason }: Record<string, unknown>): AnswerPart | undefined {
  return reason === 'unanswered' || reason === 'person' ? { type: 'contact', reason } : undefined;
}

function sourcePart({ sourceId, url, title }: Record<string, unknown>): AnswerPart | undefined {
  if (typeof sourceId !== 'string' || typeof url !== 'string') return undefined;
  return { type: 'source', source: { id: sourceId, url, title: typeof title === 'string' ? title : '' } };
}
