import type { SettingsShape } from '@relata/runtime';
import { type AppName, serviceOf } from '../services.ts';

export const isSecret = (schema: SettingsShape[string]) => schema.meta()?.['secret'] === true;
export const shapeOf = (name: AppName) => serviceOf(name).settings as SettingsShape;
