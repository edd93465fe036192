import { removeStackFile, writeStackFile, type StackFile } from './stack-file.ts';

/** Keeps the stack's file true to what runs, from the first time that it is published until it is withdrawn. */
export class StackPublication implements AsyncDisposable {
  readonly #path: string;
  readonly #describe: () => StackFile;
  #state: 'unpublished' | 'published' | 'withdrawn' = 'unpublished';
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, describe: () => StackFile) {
    this.#path = path;
    this.#describe = describe;
  }

  async publish(): Promise<StackFile> {
    this.#state = 'published';
    await this.refresh();
    return this.#describe();
  }

  // One after the other, so that the last state is what stays.
  refresh(): Promise<unknown> {
    this.#last = this.#last.catch(() => {}).then(() => this.#write());
    return this.#last;
  }

  async #write(): Promise<void> {
    if (this.#state === 'published') await writeStackFile(this.#path, this.#describe());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#state = 'withdrawn';
    await this.#last.catch(() => {});
    await removeStackFile(this.#path);
  }
}
