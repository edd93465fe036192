import { Agent, type ClientRequestArgs } from 'node:http';
import { Socket, type TcpSocketConnectOpts } from 'node:net';

// Shorter than the time for which the apps keep idle connections, so that the gateway uses no connection that an app is
// closing.
const idleMaxMs = 60_000;
const lastWordsMs = 1_000;

type Done = (error?: Error | null) => void;

/**
 * Socket that reports the failure of a write with a delay. An app may answer without reading the body, and close. A
 * write then fails while the kernel has already received the response, and Node would destroy the socket before reading
 * it. During the delay the socket reads the response; an end or an error of the connection reports the failure at once.
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

/** Returns an agent that keeps connections to the apps open. */
export function openAppAgent(): Agent {
  return new AppAgent({ keepAlive: true, maxFreeSockets: 256, timeout: idleMaxMs });
}
