export const de = {
  key_missing:
    "Für das Gateway dieses Modells ist kein Schlüssel hinterlegt. Ein Plattform-Admin setzt ihn unter „Modelle“.",
  key_unreadable: "Der hinterlegte Schlüssel ist nicht mehr lesbar. Ein Plattform-Admin setzt ihn neu.",
  key_refused: "Das Gateway hat den Schlüssel abgelehnt. Ein Plattform-Admin prüft ihn unter „Modelle“.",
  model_missing:
    "Kein Modell ist eingeschaltet, das hier antworten könnte. Ein Plattform-Admin wählt eines unter „Modelle“.",
  model_not_found: "Das Gateway kennt dieses Modell nicht. Im Chat lässt sich ein anderes wählen.",
  not_found: "Das Gateway kennt diese Adresse oder dieses Modell nicht.",
  not_allowed: "Das Gateway erlaubt das nicht.",
  host_not_allowed: "Die Adresse des Gateways darf nicht erreicht werden.",
  redirected: "Das Gateway antwortet von einer anderen Adresse. Dorthin wird kein Schlüssel gesendet.",
  connection_failed: "Das Gateway ist nicht erreichbar.",
  connection_reset: "Die Verbindung zum Gateway brach ab.",
  gateway_error: "Das Gateway hat einen Fehler gemeldet.",
  gateway_busy: "Das Gateway konnte gerade nicht antworten.",
  rate_limited: "Das Gateway ist ausgelastet. Bitte später erneut versuchen.",
  quota_exhausted: "Das Kontingent am Gateway ist aufgebraucht.",
  request_refused: "Das Gateway hat die Anfrage abgelehnt.",
  context_too_long: "Das Gespräch ist zu lang für dieses Modell.",
  idle_timeout: "Das Gateway schwieg zu lange.",
  turn_timeout: "Das Gateway wurde nicht rechtzeitig fertig.",
  not_a_stream:
    "Das Gateway hat nicht gestreamt. Für ein solches Modell lässt sich Streaming unter „Modelle“ ausschalten.",
  stream_truncated: "Die Antwort des Modells brach ab.",
  stream_broken: "Die Antwort des Gateways war nicht lesbar.",
  empty_output: "Das Modell hat nichts geantwortet.",
};
