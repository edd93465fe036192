/** An event longer than this ends the reading: nothing that the chat sends comes near it. */
const eventCharsMax = 262_144;

/**
 * The data of the server-sent events in a body, in order. Other fields and comments, which keep a connection alive, are
 * passed over; an event that the end of the body cut off is dropped, as the standard has it.
 * Throws a RangeError on an event of more than 262,144 characters, and what reading the body throws.
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
    // What is left over is of no interest to anyone; without this the connection would stay open.
    reader.cancel().catch(() => undefined);
  }
}

function keepData(line: string, data: string[]): void {
  if (!line.startsWith('data:')) return;
  data.push(line.slice(line[5] === ' ' ? 6 : 5));
  if (data.length > 1 && data.reduce((sum, { length }) => sum + length, 0) > eventCharsMax) throw tooLong();
}

/** Whole lines out of bytes that may be split anywhere. A line ends with LF, CR or CRLF. */
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
