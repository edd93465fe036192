import type { ConsoleOperations } from '@relata/schemas/console';

export type * from '@relata/schemas/console';

export type OperationId = keyof ConsoleOperations;

/** Types alone: the schemas stay on the server, which is the one that checks. */
type InputBy<Schema> = Schema extends { _zod: { input: infer Input } } ? Input : undefined;
type OutputBy<Schema> = Schema extends { _zod: { output: infer Output } } ? Output : undefined;

type PartOf<Spec, Name extends string> = Spec extends { [Key in Name]: infer Schema } ? Schema : undefined;

type Part<Spec, Name extends 'params' | 'query' | 'body'> =
  InputBy<PartOf<Spec, Name>> extends infer Input
    ? Input extends undefined
      ? { [Key in Name]?: undefined }
      : Record<never, never> extends Input
        ? { [Key in Name]?: Input }
        : { [Key in Name]: Input }
    : never;

export type InputOf<Id extends OperationId> = Part<ConsoleOperations[Id], 'params'> &
  Part<ConsoleOperations[Id], 'query'> &
  Part<ConsoleOperations[Id], 'body'>;

export type AnswerOf<Id extends OperationId> = OutputBy<PartOf<ConsoleOperations[Id]['success'], 'body'>>;
