export const de = {
  request_rejected: "Eine Person hat den Antrag abgelehnt. Begründung: {{ reason }}",
  request_expired: "Niemand hat den Antrag rechtzeitig entschieden.",
  requester_gone: "Wer diesen Lauf gestartet hat, darf den Arbeitsbereich nicht mehr nutzen.",
  step_failed: "Ein Schritt ist mehrmals aus einem internen Grund gescheitert.",
  time_limit: "Ein Schritt hat zweimal die erlaubte Zeit überschritten.",
};
