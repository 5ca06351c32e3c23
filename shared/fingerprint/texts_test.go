package fingerprint_test

// ownTexts are passages of several kinds and scripts, written for these tests.
func ownTexts() []string {
	return []string{
		"The gross salary for the month of May comes to 4,812.40; after tax and insurance 2,977.15 are paid out to the account that ends in 4471. The bonus for the spring quarter is not part of it and follows with the next statement. Please keep this sheet, a second one costs a fee. Questions go to the pay office on the second floor between nine and eleven.",
		"Minutes of the meeting on the roof: the leak above the east stairs comes from a cracked flashing, not from the tiles. Two offers are on the table, one for a repair that lasts five winters and one for a new layer that lasts thirty. The board leans to the second and will ask the owners before the end of the month. Scaffolding has to be shared with the neighbours.",
		"Dear customer, your parcel could not be handed over because nobody opened the door. It waits for seven days at the shop beside the railway station. Bring the card that the driver left and something that shows your name. Parcels that are not collected travel back to the sender, who is charged for the way.",
		"Сегодня утром поезд опоздал на сорок минут, поэтому встреча начнётся позже. Документы лежат в синей папке на столе у окна, ключ от шкафа у дежурного. Если понадобится копия договора, позвоните в бухгалтерию до обеда, потом там никого не будет.",
		"Το πλοίο φεύγει στις επτά το πρωί από την τρίτη προβλήτα και φτάνει το μεσημέρι. Τα εισιτήρια είναι στο γραφείο, μαζί με τον χάρτη του νησιού και τα κλειδιά του σπιτιού. Μην ξεχάσετε τα χαρτιά για το αυτοκίνητο, γιατί στον έλεγχο τα ζητούν πάντα.",
		"会议改到星期四下午三点，在二楼的小会议室。请把上个月的报表和新的预算一起带来，财务部门也会派人参加。如果有人不能来，请在星期三中午以前告诉我，我们可以改用电话。停车场正在维修，请尽量坐地铁，从南门出来走五分钟就到。合同的最后一页还没有签字，请不要寄出。",
		"来週の月曜日に工場の見学があります。朝八時に駅の前に集まり、バスで行きます。昼ご飯は向こうの食堂で食べますが、特別な食事が必要な人は金曜日までに知らせてください。写真を撮ることはできません。新しい機械の値段は社外に出さないようにお願いします。",
		"Für die Abnahme der Heizung brauchen wir das Protokoll der Druckprüfung, den Schornsteinbericht und die Rechnung über den Tausch der Pumpe. Bitte prüfen Sie, ob der Zählerstand vom ersten März mit Ihrer Ablesung übereinstimmt; bei uns steht 20417. Der Termin am Freitag bleibt, wenn bis dahin alle Unterlagen vollständig vorliegen.",
		"Le devis pour la cuisine est plus élevé que prévu parce que le mur du fond doit être isolé. Nous proposons de garder les meubles anciens et de changer seulement le plan de travail et l'évier. La livraison prend six semaines; pendant les travaux, l'eau sera coupée deux matinées. Dites-nous avant mardi si cela vous convient.",
		"Patient file, not for others: blood pressure 148 over 92 on three mornings, slight swelling at both ankles in the evening, no pain in the chest. The dose of the tablets was doubled on the ninth; the next look at the kidneys is due in four weeks. The family asks that the sister is not told by telephone.",
	}
}
