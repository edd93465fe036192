import { placedText } from '../api/failure.ts';

type Detail = Parameters<typeof placedText>[0];

const shownMax = 3;

/** Returns the problems field by field if the error lists them, otherwise its message. */
export function explained({ message, details }: { message: string; details?: unknown }): string {
  if (!Array.isArray(details) || details.length === 0) return message;
  const lines = (details as Detail[]).slice(0, shownMax).map(placedText);
  return details.length > shownMax ? `${lines.join(' ')} And ${details.length - shownMax} more.` : lines.join(' ');
}
