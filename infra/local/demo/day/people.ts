export interface Person {
  name: string;
  email: string;
  company: string;
}

const person = (name: string, email: string, company: string): Person => ({ name, email, company });

/** People who appear in the demo's day. The domains of their addresses cannot be registered. */
export const people: readonly Person[] = [
  person('Maya Lindqvist', 'maya@fjordsupply.example', 'Fjord Supply'),
  person('Tomás Rivera', 'tomas@riveracoffee.example', 'Rivera Coffee Roasters'),
  person('Priya Nair', 'priya@lumenlabs.example', 'Lumen Labs'),
  person('Jonas Weber', 'jonas@weberholz.example', 'Weber Holzbau'),
  person('Amara Okafor', 'amara@okaforclinics.example', 'Okafor Clinics'),
  person('Liam Byrne', 'liam@harbourfreight.example', 'Harbour Freight Dublin'),
  person('Chloé Martin', 'chloe@atelier-martin.example', 'Atelier Martin'),
  person('Kenji Sato', 'kenji@satoinstruments.example', 'Sato Instruments'),
  person('Nora Haddad', 'nora@cedartextiles.example', 'Cedar Textiles'),
  person('Ethan Cole', 'ethan@colebikes.example', 'Cole Bikes'),
  person('Ingrid Solberg', 'ingrid@solbergenergi.example', 'Solberg Energi'),
  person('Rafael Costa', 'rafael@costasolar.example', 'Costa Solar'),
  person('Hannah Schmid', 'hannah@alpinoptik.example', 'Alpin Optik'),
  person('Oluwaseun Ade', 'seun@lagoslogistics.example', 'Lagos Logistics'),
  person('Emily Zhang', 'emily@paperlantern.example', 'Paper Lantern Games'),
  person('Viktor Novák', 'viktor@novakbrewing.example', 'Novák Brewing'),
  person('Sofia Rossi', 'sofia@rossivini.example', 'Rossi Vini'),
  person('Daniel Kim', 'daniel@kimdental.example', 'Kim Dental'),
  person('Zeynep Aydın', 'zeynep@aydintekstil.example', 'Aydın Tekstil'),
  person('Oskar Nilsson', 'oskar@nilssonmarine.example', 'Nilsson Marine'),
  person('Fatima Zahra', 'fatima@atlasceramics.example', 'Atlas Ceramics'),
  person('George Papas', 'george@papasolive.example', 'Papas Olive Oil'),
  person('Lucy Harper', 'lucy@harperprint.example', 'Harper Print'),
  person('Mateo Silva', 'mateo@silvafoods.example', 'Silva Foods'),
];
