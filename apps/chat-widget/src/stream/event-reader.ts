/** Maximum length of an event, in characters. A longer one is an error. The events of the chat are much shorter. */
const eventCharsMax = 262_144;

/**
 * Yields the data of the server-sent events in a body, in order. Skips other fields, and comments, which keep a
 * connection alive. As the standard demands, drops an event that the end of the body cut off. Throws a RangeError for
 * an event of more than 262,144 characters, and the errors of reading the body.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>, onData?: () => void): AsyncGenerator<string> {
  const reader = body.getReader();
  const lines = lineSplitter();
  let data: string[] = [];
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      onData?.();
      for (const line of lines(chunk.value)) {
        if (line !== '') keepData(line, data);
        else if (data.length > 0) yield data.join('\n');
        if (line === '') data = [];
      }
    }
  } finally {
    // Closes the connection, which would otherwise stay open although the rest is not needed.
    reader.cancel().catch(() => undefined);
  }
}

function keepData(line: string, data: string[]): void {
  if (!line.startsWith('data:')) return;
  data.push(line.slice(line[5] === ' ' ? 6 : 5));
  if (data.length > 1 && data.reduce((sum, { length }) => sum + length, 0) > eventCharsMax) throw tooLong();
}

/** Returns a function that assembles lines from bytes that may be split anywhere. A line ends with LF, CR or CRLF. */
function lineSplitter(): (bytes: Uint8Array) => string[] {
  const decoder = new TextDecoder();
  let rest = '';
  let endedInCr = false;
  return (bytes) => {
    let text = decoder.decode(bytes, { stream: true });
    if (text === '') return [];
    if (endedInCr && text.startsWith('\n')) text = text.slice(1);
    endedInCr = text.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/);
    lines[0] = rest + lines[0];
    rest = lines.pop()!;
    if (rest.length > eventCharsMax || lines.some(({ length }) => length > eventCharsMax)) throw tooLong();
    return lines;
  };
}

const tooLong = () => new RangeError('An event of the answer is too long.');
