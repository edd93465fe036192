import { AppError, findJsonFault, lineAndColumn } from '@relata/schemas/errors';

/** A larger text is not searched for its fault: all other requests would wait for that. */
const walkedCharactersMax = 65_536;

/** Parses a body. Throws AppError `invalid_json`, which says where the fault is and never quotes the body. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { message = '', position } = faultOf(text, error as SyntaxError);
    const data = position === undefined ? undefined : lineAndColumn(text, position);
    const place = data ? ` (line ${data.line}, column ${data.column})` : '';
    throw new AppError('invalid_json', `The body is not valid JSON${message}${place}.`, data && { data });
  }
}

interface Fault {
  message?: string;
  position?: number;
}

function faultOf(text: string, error: SyntaxError): Fault {
  if (text.length > walkedCharactersMax) return faultOfLarge(error);
  const { message, position } = findJsonFault(text);
  return { message: `: ${message}`, position };
}

/** Most messages of the engine end with the position; the others, and the rest of these, quote the body. */
const positionOfEngine = / at position (\d+) \(line \d+ column \d+\)$/;

function faultOfLarge({ message }: SyntaxError): Fault {
  if (message === 'Unexpected end of JSON input') return { message: ': it ends too early' };
  const position = positionOfEngine.exec(message)?.[1];
  return position === undefined ? {} : { position: Number(position) };
}
