import type { ConsoleOperations } from '@relata/schemas/console';

export type * from '@relata/schemas/console';

export type OperationId = keyof ConsoleOperations;

/** Input type of a schema. Only types are imported, because validation is the server's task. */
type InputBy<Schema> = Schema extends { _zod: { input: infer Input } } ? Input : undefined;
type OutputBy<Schema> = Schema extends { _zod: { output: infer Output } } ? Output : undefined;

type PartOf<Spec, Name extends string> = Spec extends { [Key in Name]: infer Schema } ? Schema : undefined;

type Given<Name extends string, Input> = Input extends undefined
  ? { [Key in Name]?: undefined }
  : Record<never, never> extends Input
    ? { [Key in Name]?: Input }
    : { [Key in Name]: Input };

type ParamsOf<Id extends OperationId> = InputBy<PartOf<ConsoleOperations[Id], 'params'>>;
type ContentOf<Id extends OperationId> = Given<'query', InputBy<PartOf<ConsoleOperations[Id], 'query'>>> &
  Given<'body', InputBy<PartOf<ConsoleOperations[Id], 'body'>>>;

export type InputOf<Id extends OperationId> = Given<'params', ParamsOf<Id>> & ContentOf<Id>;

/** Input of an operation without the id of the organization, which the page's address determines. */
export type InputHere<Id extends OperationId> = Given<'params', Omit<ParamsOf<Id>, 'org'>> & ContentOf<Id>;

export type OutputOf<Id extends OperationId> = OutputBy<PartOf<ConsoleOperations[Id]['success'], 'body'>>;
