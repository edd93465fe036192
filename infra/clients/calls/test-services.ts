export interface TestServices {
  apiUrl: string;
  chatUrl: string;
  key: string;
  /** Ids of one record of each resource, and of an event. */
  ids: Record<
    'account' | 'contact' | 'opportunity' | 'pipeline' | 'stage' | 'user' | 'custom_activity' | 'event',
    string
  >;
}

export interface Outcome {
  response?: Response;
  data?: unknown;
  error?: unknown;
}

export type Calls = Record<string, () => Promise<Outcome>>;
