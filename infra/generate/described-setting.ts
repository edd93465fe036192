import type { SettingsShape } from '@relata/runtime';

export interface DescribedSetting {
  name: string;
  description: string;
  /** Default, as an operator would write it. Undefined if there is none. */
  fallback: string | undefined;
  isRequired: boolean;
  isSecret: boolean;
}

/** Returns the description, default and properties that a setting declares. */
export function describeSetting(name: string, schema: SettingsShape[string]): DescribedSetting {
  const meta = schema.meta() ?? {};
  return {
    name,
    description: meta.description ?? '',
    fallback: defaultText(schema),
    isRequired: !schema.safeParse(undefined).success,
    isSecret: meta['secret'] === true,
  };
}

/** Returns the default as an operator would write it. The innermost schema that has a default determines it. */
function defaultText(schema: SettingsShape[string]): string | undefined {
  const { def } = schema as { def: { type: string; defaultValue?: unknown; in?: SettingsShape[string] } };
  if (def.type === 'default') return String(def.defaultValue);
  return def.in && defaultText(def.in);
}
