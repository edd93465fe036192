import { newId } from '@relata/db';
import { findTraces } from './traces.harness.ts';
import { type Plural, startTrashApi, type TrashApi } from './trash.harness.ts';

interface Person {
  id: string;
  /** Unique texts that occur nowhere else in the database. */
  names: string[];
}

type PendingResponse = ReturnType<TrashApi['get']>;

/** Calls of the API for tests of erasing. */
export interface EraseApi extends TrashApi {
  erase(plural: Plural, id: string, query?: string, headers?: Record<string, string>): PendingResponse;
  patch(plural: Plural, id: string, body: object, headers?: Record<string, string>): PendingResponse;
  /** Creates a contact with a name and an email address that occur nowhere else. */
  makePerson(fields?: object): Promise<Person>;
  /** Returns the tables that contain a name or the address of a person. */
  tracesOf(person: Person): Promise<string[]>;
}

export async function startEraseApi(): Promise<EraseApi> {
  const api = await startTrashApi();
  const { client } = api.tenant;
  return {
    ...api,
    erase: (plural, id, query = '', headers = {}) =>
      client('DELETE', api.pathOf(plural, `/${id}?erase=true${query}`), { headers }),
    patch: (plural, id, body, headers = {}) => client('PATCH', api.pathOf(plural, `/${id}`), { body, headers }),
    makePerson: async (fields = {}) => {
      const unique = `q${newId().replaceAll('-', '')}`;
      const names = [`Ada${unique}`, `${unique}@robotics.example`];
      const { id } = await api.make('contacts', { first_name: names[0], email: names[1], ...fields });
      return { id, names };
    },
    tracesOf: ({ names }) => findTraces(api, ...names),
  };
}
