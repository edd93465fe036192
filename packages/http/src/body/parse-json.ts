import { AppError, findJsonFault, linePosition } from '@relata/schemas';

/** A larger text is not searched for its fault: all other requests would wait for that. */
const walkedCharactersMax = 65_536;

/** Parses a body. Throws AppError `invalid_json`, which says where the fault is and never quotes the body. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError('invalid_json', `The body is not valid JSON${faultOf(text, error as SyntaxError)}.`);
  }
}

function faultOf(text: string, error: SyntaxError): string {
  if (text.length > walkedCharactersMax) return faultOfLarge(text, error);
  const { message, position } = findJsonFault(text);
  return `: ${message} (${linePosition(text, position)})`;
}

/** Most messages of the engine end with the position; the others, and the rest of these, quote the body. */
const positionOfEngine = / at position (\d+) \(line \d+ column \d+\)$/;

function faultOfLarge(text: string, { message }: SyntaxError): string {
  if (message === 'Unexpected end of JSON input') return ': it ends too early';
  const position = positionOfEngine.exec(message)?.[1];
  return position === undefined ? '' : ` (${linePosition(text, Number(position))})`;
}
