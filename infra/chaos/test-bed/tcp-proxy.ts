import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

class Passage {
  readonly #client: Socket;
  readonly #targetPort: number;
  readonly #onEnd: () => void;
  #server: Socket | undefined;
  #isSilent = false;
  #isOver = false;

  constructor(client: Socket, targetPort: number, onEnd: () => void) {
    this.#client = client;
    this.#targetPort = targetPort;
    this.#onEnd = onEnd;
    this.#watch(client);
  }

  /** True once the connection to the server is open. */
  get isOpen(): boolean {
    return this.#server !== undefined && !this.#server.connecting && !this.#server.destroyed;
  }

  flow(): void {
    this.#isSilent = false;
    if (this.#isOver) return this.cut();
    if (!this.#server) this.#watch((this.#server = connect({ port: this.#targetPort, host: '127.0.0.1' })));
    this.#client.pipe(this.#server);
    this.#server.pipe(this.#client);
  }

  /** Stops forwarding, without closing either side. */
  silence(): void {
    this.#isSilent = true;
    this.#client.unpipe().pause();
    this.#server?.unpipe().pause();
  }

  cut(): void {
    this.#onEnd();
    this.#client.resetAndDestroy();
    this.#server?.resetAndDestroy();
  }

  #watch(socket: Socket): void {
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      this.#isOver = true;
      if (!this.#isSilent) this.cut();
    });
  }
}

/** A proxy between an app and a server that can cut or silence their connections. */
export class TcpProxy implements AsyncDisposable {
  readonly port: number;
  readonly #listener: Server;
  readonly #passages: Set<Passage>;
  #isSilent = false;

  private constructor(listener: Server, targetPort: number, passages: Set<Passage>) {
    this.#listener = listener;
    this.#passages = passages;
    this.port = (listener.address() as AddressInfo).port;
    listener.on('connection', (client) => {
      const passage: Passage = new Passage(client, targetPort, () => passages.delete(passage));
      passages.add(passage);
      if (this.#isSilent) passage.silence();
      else passage.flow();
    });
  }

  static async listen(targetPort: number): Promise<TcpProxy> {
    const listener = createServer({ noDelay: true });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new TcpProxy(listener, targetPort, new Set());
  }

  /** Number of connections that are open on the side of the server. */
  get open(): number {
    return [...this.#passages].filter(({ isOpen }) => isOpen).length;
  }

  /** Ends every connection with a reset. */
  cut(): void {
    for (const passage of this.#passages) passage.cut();
  }

  /** Closes the port, as if the server behind it had ended. */
  async refuse(): Promise<void> {
    if (!this.#listener.listening) return;
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    this.cut();
    await closed;
  }

  /** Opens the same port again. */
  async accept(): Promise<void> {
    if (this.#listener.listening) return;
    this.#listener.listen(this.port, '127.0.0.1');
    await once(this.#listener, 'listening');
  }

  /** Stops forwarding on existing and new connections, without closing any. */
  silence(): void {
    this.#isSilent = true;
    for (const passage of this.#passages) passage.silence();
  }

  /** Forwards again, beginning with the data that was held back. */
  resume(): void {
    this.#isSilent = false;
    for (const passage of this.#passages) passage.flow();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.refuse();
  }
}
