/** A problem that an operator has to fix before the pages can be read; the message names the file or the folder. */
export class KnowledgeError extends Error {
  override name = 'KnowledgeError';

  constructor(path: string, fault: string, options?: ErrorOptions) {
    super(`Knowledge base: ${path} ${fault}`, options);
  }
}
