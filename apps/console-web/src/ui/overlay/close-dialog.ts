import { createContext } from 'react';

/** Closes the dialog around, and asks first if a form in it has unsaved input. */
export const CloseDialog = createContext<(() => void) | undefined>(undefined);
