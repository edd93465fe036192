import { demoInput } from '../demo/demo-fields.ts';
import type { AnswerPart } from '../stream/answer-part.ts';
import { answerLimits, type Message, type SourceLink } from './message.ts';

export function withPart(message: Message, part: AnswerPart): Message {
  switch (part.type) {
    case 'text-start':
      return message.text === '' ? message : withText(message, '\n\n');
    case 'text-delta':
      return withText(message, part.delta);
    case 'source':
      return withSource(message, part.source);
    case 'demo':
      return { ...message, demo: { input: demoInput(part.input), state: 'open' } };
    case 'contact':
      return { ...message, contact: part.reason };
    case 'finish':
      return part.isAtLimit ? { ...message, isAtLimit: true } : message;
    default:
      return message;
  }
}

function withText(message: Message, text: string): Message {
  const whole = message.text + text;
  if (whole.length <= answerLimits.textChars) return { ...message, text: whole };
  return { ...message, text: whole.slice(0, answerLimits.textChars), isAtLimit: true };
}

function withSource(message: Message, source: SourceLink): Message {
  const { sources } = message;
  if (sources.length >= answerLimits.sources || sources.some(({ id }) => id === source.id)) return message;
  if (source.url.length > answerLimits.urlChars || source.id.length > answerLimits.titleChars) return message;
  const title = source.title.slice(0, answerLimits.titleChars).toWellFormed();
  return { ...message, sources: [...sources, { ...source, title }] };
}
