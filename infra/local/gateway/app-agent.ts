import { Agent, type ClientRequestArgs } from 'node:http';
import { Socket, type TcpSocketConnectOpts } from 'node:net';

// Shorter than the apps keep an idle connection, so that none is used while its app closes it.
const idleMaxMs = 60_000;
const lastWordsMs = 1_000;

type Done = (error?: Error | null) => void;

/**
 * An app may answer without reading the body, and close. A write then fails while the answer is already in the receive
 * buffer of the kernel, and Node would destroy the socket before it reads it. The failure of a write is therefore
 * reported with a delay: until then the socket reads the answer, or the end or error that reports the failure at once.
 */
class PatientSocket extends Socket {
  override _write(chunk: unknown, encoding: BufferEncoding, done: Done): void {
    super._write(chunk, encoding, afterLastWords(done));
  }

  override _writev(chunks: { chunk: unknown; encoding: BufferEncoding }[], done: Done): void {
    super._writev?.(chunks, afterLastWords(done));
  }
}

function afterLastWords(done: Done): Done {
  return (error) => {
    if (error) setTimeout(done, lastWordsMs, error).unref();
    else done();
  };
}

class AppAgent extends Agent {
  override createConnection(options: ClientRequestArgs): Socket {
    return new PatientSocket(options).connect(options as TcpSocketConnectOpts);
  }
}

/** Keeps the connections to the apps. */
export function openAppAgent(): Agent {
  return new AppAgent({ keepAlive: true, maxFreeSockets: 256, timeout: idleMaxMs });
}
