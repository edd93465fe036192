import { addCopyButtons } from './copy-buttons.ts';
import { store } from './elements.ts';
import { addSearch } from './search.ts';
import { addTabs } from './tabs.ts';
import { addThemeButton } from './theme-button.ts';
import { addTryForms } from './try-forms.ts';

// Removes API keys that Swagger UI stored under this name when it was served at this address.
store('localStorage', 'authorized', undefined);
addThemeButton();
addSearch();
addTabs();
addCopyButtons();
addTryForms();
