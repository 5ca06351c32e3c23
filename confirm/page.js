(() => {
	"use strict";
	const form = document.querySelector("form.decision"), field = form.elements.factor, say = document.getElementById("device");
	form.addEventListener("submit", async (event) => {
		const button = event.submitter;
		if (!button || button.value !== "send" || field.value) return;
		event.preventDefault();
		say.textContent = "Waiting for your device …";
		try {
			const options = JSON.parse(form.dataset.factor), create = form.dataset.ceremony === "create";
			const credential = create
				? await navigator.credentials.create({publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options)})
				: await navigator.credentials.get({publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options)});
			field.value = JSON.stringify(credential.toJSON());
			form.requestSubmit(button);
		} catch (error) {
			say.textContent = "Your device did not confirm (" + error.name + "). Nothing was sent. You can try again.";
		}
	});
})();
