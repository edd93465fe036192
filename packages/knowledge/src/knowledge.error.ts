/** A problem that an operator must fix before the pages can be read. The message names the file or the folder. */
export class KnowledgeError extends Error {
  override name = 'KnowledgeError';

  constructor(path: string, fault: string, options?: ErrorOptions) {
    super(`Knowledge base: ${path} ${fault}`, options);
  }
}
