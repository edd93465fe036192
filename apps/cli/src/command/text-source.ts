import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { CliError } from '../output/cli.error.ts';

/** Returns the text of a file, or of standard input if the path is `-`. */
export async function readText(path: string, bytesMax: number): Promise<string> {
  const bytes = await readBytes(path, bytesMax);
  if (!bytes) throw new CliError('validation_error', `${nameOf(path)} is larger than ${bytesMax / 1_024} KB.`);
  if (!isUtf8(bytes)) throw new CliError('validation_error', `${nameOf(path)} is not valid UTF-8.`);
  return bytes.toString('utf8');
}

async function readBytes(path: string, bytesMax: number): Promise<Buffer | undefined> {
  try {
    return await collect(path === '-' ? process.stdin : createReadStream(path), bytesMax);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT') throw new CliError('not_found', `There is no file ${path}.${containerHint()}`, { cause });
    throw new CliError('validation_error', `${nameOf(path)} cannot be read: ${message}.`, { cause });
  }
}

/** Returns all bytes of a stream; undefined if there are more than `bytesMax`. */
export async function collect(chunks: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Buffer | undefined> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > bytesMax) return undefined;
    kept.push(chunk);
  }
  return Buffer.concat(kept);
}

/** Returns advice if the tool runs in a container, as RELATA_COMMAND shows; otherwise an empty string. */
function containerHint(): string {
  if (!/docker|podman|kubectl/.test(process.env['RELATA_COMMAND'] ?? '')) return '';
  return ' The tool runs in a container and cannot see your files. Give - as the file, and its text on standard input.';
}

function nameOf(path: string): string {
  return path === '-' ? 'Standard input' : path;
}
